"""Commands of the palette: its entries of this tree and of the others, and the label of a bookmark."""
