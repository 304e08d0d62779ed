"""The page of agents, endpoints with their keys, and what was used."""
