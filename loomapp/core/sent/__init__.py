"""Record of the request behind every answer, sending it again, and comparing it with a request of today.

Contents:
  calls: Calls as economy knows them, read from the responses of a tree and the records kept with them.
  economy: Economy of a request as it is recorded: what decided of summaries and compression, and was
      carried on.
  estimators: Token estimators as the record of a request holds them: enough of each to count the same
      again.
  inputs: Inputs: everything that decides what is sent, apart from the words of the nodes, which never
      change.
  record: The record of what was sent: the inputs, the report and a digest, kept with the response it led
      to.
  replay: Replays of past requests and variants of today's: what would be sent, and what makes the
      difference.
  trial: A trial: what would be sent if something were otherwise, a stage of economy too; remedies, all
      tried.
"""
