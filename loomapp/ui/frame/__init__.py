"""The parts around the views: header, banner, status bar, the pages in the graph's place, next steps."""
