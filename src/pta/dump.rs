//! The answer as text and as Graphviz.
