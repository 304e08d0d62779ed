"""The embedded engine: its process, its socket, and the files of its models.

Contents:
  child: The engine's own process: loads a model, serves it to its parent over a socket, ends with it.
  engine: The embedded engine: absent, fetching, starting, ready, busy or died; started by the first use.
  local_model: The local model: the embedded engine as a provider, for conversations and for documents; its
      tokenizer.
  model_fetch: Known models and how one is fetched: downloaded beside its place, checked, and moved there in
      one step.
  model_files: Model files: GGUF files that can be used as local models, added, found, removed; and the
      window of each.
  process: The engine's child process seen from its parent: started, asked, watched and ended.
  state: The states of the embedded engine, each with what to tell the user and what to do about it.
"""
