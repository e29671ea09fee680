//! Reads and records compilation databases and finds the programs a build makes.
