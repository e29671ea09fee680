//! The command `cegas-scan`.
fn main() {}
