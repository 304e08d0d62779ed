"""Protocols: each vendor's bodies, streams and errors, over one recorded wire.

Contents:
  anthropic_messages: Anthropic Messages: a conversation goes in, one answer comes out.
  attempt: One attempt in any protocol: the SDK's call, read to its proper end, every failure mapped.
  bodies: Bodies of requests in each protocol, without the SDK, and the room that is left for their answers.
  endpoint: An endpoint: where a protocol of language models is spoken, with which key, and whose turn it is
      there.
  errors: Errors of providers: what an SDK, the network or a malformed answer raises becomes one
      ProviderError.
  events: Server-sent events of an answer: handed on whole, in one spelling, without secrets, and never too
      long.
  exchange: One call of a model while it runs: the wish to stop it, and every HTTP exchange it made, byte by
      byte.
  learned: Self-healing: parameters that models were found to refuse, told by a refusal and kept between
      starts.
  model_rules: Model rules: what each provider's models take and give, as a table.
  openai_protocols: OpenAI's protocols: Responses, Chat Completions, and text Completions for base models
      and Buffer mode.
  protocols: The registry of protocols: how an endpoint is spoken to. Imports no SDK before one is needed.
  redaction: Concealing: secrets found, in whatever spelling and pieces a server sends them back, and taken
      out.
  wire: The wire: an HTTP transport that records every byte of an answer, can be stopped, and has limits.
"""
