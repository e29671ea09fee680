//! The way to a violation as SARIF's `codeFlows`: each step with its place, depth and values.

use serde_sarif::sarif;

use super::super::sources::Sources;
use super::super::{Step, fold};
use super::{message, place};

/// The trace with at most `most` locations, its middle folded. Nothing if there is no trace.
pub fn flows(trace: &[Step], most: usize, sources: &Sources) -> Vec<sarif::CodeFlow> {
    // What happens inside models of library functions has no place in the source.
    let trace: Vec<&Step> = trace.iter().filter(|step| !step.location.file.is_empty()).collect();
    if trace.is_empty() || most == 0 {
        return Vec::new();
    }
    // The step after the fold tells of it, so that it costs no location of its own.
    let folded = fold(trace.len(), most.div_ceil(2), most / 2);
    let mut locations = Vec::with_capacity(trace.len().min(most));
    for (index, step) in trace.iter().enumerate().filter(|(index, _)| !folded.contains(index)) {
        let left_out = match folded.len() {
            count if count > 0 && index == folded.end => format!("({count} steps left out) "),
            _ => String::new(),
        };
        locations.push(location(step, &left_out, index, sources));
    }
    let flow = sarif::ThreadFlow::builder().locations(locations).build();
    vec![sarif::CodeFlow::builder().thread_flows(vec![flow]).build()]
}

fn location(
    step: &Step,
    before: &str,
    index: usize,
    sources: &Sources,
) -> sarif::ThreadFlowLocation {
    let location = sarif::Location::builder()
        .physical_location(place::place(&step.location, sources))
        .message(message(&format!("{before}{}", step.text)))
        .build();
    sarif::ThreadFlowLocation::builder()
        .location(location)
        .nesting_level(i64::from(step.depth))
        .execution_order(i64::try_from(index + 1).unwrap_or(i64::MAX))
        .build()
}
