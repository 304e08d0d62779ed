"""Trees of other looms and writing programs.

Contents:
  exoloom: exoloom: a tree with who wrote each node, and a lens with its bookmarks and pruned nodes.
  helm: Helm: `tree.json`, nodes by parent with bookmarks.
  kobold: Kobold Lite: a story with its other ways, each a full copy in the file; and stories of KoboldAI.
  loomsidian: loomsidian: the loom of one note, or those of a whole vault.
  mikupad: mikupad: sessions whose values are JSON within JSON, token by token; keys of access are dropped.
  miniloom: MiniLoom: each node holds a patch to the text before it, which is replayed from the root.
  pyloom: The loom of socketteer (pyloom): nested nodes with who wrote each, as deep as they go.
  tapestry: Tapestry Loom: `.tapestry` files of version 0, archives of rkyv, read without trusting a
      pointer.
"""
