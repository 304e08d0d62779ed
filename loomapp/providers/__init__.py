"""Language models behind one protocol; the only place with vendor SDKs.

Contents:
  capability: A capability record as it is shown: what is known of one model at one endpoint, and whose word
      it is.
  endpoints: Endpoints: who can be asked besides the engine, where, with whose key; and the file of the
      user's own.
  keys: Keys: environment, keychain, and a file of their owner's; they go nowhere but to their endpoint.
  model_lists: Model lists: which models an endpoint has, asked of it, kept for a day, and marked when they
      are old.
  registry: The registry of providers: who answers for `provider:model`, and what is known of it.
  engine/: The embedded engine: its process, its socket, and the files of its models.
  protocols/: Protocols: each vendor's bodies, streams and errors, over one recorded wire.
  run/: Runs: a request on a worker thread, several at once, with a watchdog.
"""
