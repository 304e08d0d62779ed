"""Protocols: each vendor's bodies, streams and errors, over one recorded wire.

Contents:
  answer_limit: The length of an answer: past which it is taken for one that never ends.
  answer_room: Room of answers that share one window: told before anything is counted, and sent just so.
  anthropic_body: Bodies of requests for Anthropic Messages: plain values, without the SDK.
  anthropic_messages: Anthropic Messages: a conversation goes in, one answer comes out.
  attempt: One attempt in any protocol: the SDK's call, read to its proper end, every failure mapped.
  echoed_secrets: Echoes: secrets that a server sends back in pieces, over the borders of events, found and
      taken out.
  endpoint: An endpoint: where a protocol of language models is spoken, and with which key.
  errors: Errors of providers: what an SDK, the network or a malformed answer raises becomes one
      ProviderError.
  events: Server-sent events of an answer: handed on whole, in one spelling, without secrets, and never too
      long.
  exchange: One call of a model while it runs: the wish to stop it, and every HTTP exchange it made, byte by
      byte.
  images: Images in a request: parts of a message in each protocol, and the body as it is kept, without
      them.
  learn_from_refusal: Self-healing: what a refusal says of a model, so that the next request is one that it
      takes.
  learned: Parameters that models were found to refuse, kept between starts: a record for each endpoint and
      model.
  model_rules: Model rules: what each provider's models take and give, as a table.
  openai_body: Bodies of requests in OpenAI's dialects: plain values, without the SDK.
  openai_chat: OpenAI Chat Completions: a conversation goes in, n answers come out.
  openai_completions: OpenAI text Completions: a text goes in, n ways to go on come out. For base models and
      Buffer mode.
  openai_responses: OpenAI Responses: a conversation goes in, one answer comes out. Nothing is stored at the
      other end.
  openai_sdk: OpenAI's SDK, made to do nothing by itself: no retries, no look into the environment, no log.
  openai_stream: A streamed answer in OpenAI's older dialect, of chats and of completions: from chunks to
      events.
  protocols: The registry of protocols: how an endpoint is spoken to. Imports no SDK before one is needed.
  redaction: Concealing: secrets found in whatever spelling a server sends them back, and taken out.
  warm_up: A rehearsal: an SDK's first call costs over a second of imports and schemas, paid before a server
      waits.
  wire: The wire: an HTTP transport that records every byte of an answer, can be stopped, and has limits.
"""
