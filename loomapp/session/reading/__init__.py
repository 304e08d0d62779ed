"""Reading: which trees and nodes were visited, and where the window was."""
