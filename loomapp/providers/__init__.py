"""Language models behind one protocol; the only place with vendor SDKs.

Contents:
  capability: A capability record as it is shown: what is known of one model at one endpoint, and whose word
      it is.
  endpoints: The registry of endpoints: who can be asked besides the engine, where, and with whose key.
  endpoints_file: The file of endpoints, written: a table each, comments and everything else in it kept.
  kept_lists: Kept lists of models: what endpoints said of their models last, and how much goes into each of
      them.
  model_lists: Model lists: which models an endpoint has, asked of it, kept for a day, and marked when they
      are old.
  refusal: A refusal: the provider in place of one that cannot even be asked, such as one without its key.
  registry: The registry of providers: who answers for `provider:model`, and what is known of it.
  remote: A model at an endpoint: its protocol, what is known of it, and a second try without what it
      refuses.
  wire_body: The body of a request as it will go over the wire, told before it is sent.
  engine/: The embedded engine: its process, its socket, and the files of its models.
  keys/: Keys: environment, keychain, and a file of their owner's.
  protocols/: Protocols: each vendor's bodies, streams and errors, over one recorded wire.
  run/: Runs: a request on a worker thread, several at once, with a watchdog.
"""
