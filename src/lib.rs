//! Model checking of C programs: see ARCHITECTURE.md for the map.
pub mod ir;
pub mod smt;
