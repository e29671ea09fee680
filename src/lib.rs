//! Model checking of C programs: see ARCHITECTURE.md for the map.
pub mod budgets;
pub mod cancel;
pub mod cli;
pub mod config;
pub mod exit;
pub mod frontend;
pub mod ir;
pub mod library;
pub mod progress;
pub mod project;
pub mod pta;
pub mod report;
pub mod rules;
pub mod scan;
pub mod versions;
