//! The way to a violation as SARIF's `codeFlows`: each step with its place, depth and values.

use serde_sarif::sarif;

use super::super::Step;
use super::super::sources::Sources;
use super::super::way::{self, Told};
use super::{message, place};

/// The trace with at most `most` locations, its middle folded. Nothing if there is no trace.
pub fn flows(trace: &[Step], most: usize, sources: &Sources) -> Vec<sarif::CodeFlow> {
    // What happens inside models of library functions has no place in the source.
    let is_told = |step: &&Step| step.left_out > 0 || !step.location.file.is_empty();
    let told = way::fold(trace.iter().filter(is_told), most.div_ceil(2), most / 2);
    if told.is_empty() {
        return Vec::new();
    }
    let locations: Vec<_> = told.into_iter().map(|told| location(told, sources)).collect();
    let flow = sarif::ThreadFlow::builder().locations(locations).build();
    vec![sarif::CodeFlow::builder().thread_flows(vec![flow]).build()]
}

fn location(told: Told<'_>, sources: &Sources) -> sarif::ThreadFlowLocation {
    let step = told.step;
    // The step after a fold tells of it, so that it costs no location of its own.
    let before = match told.left_out() {
        0 => String::new(),
        1 => "(1 step left out) ".to_owned(),
        count => format!("({count} steps left out) "),
    };
    let location = sarif::Location::builder()
        .physical_location(place::place(&step.location, sources))
        .message(message(&format!("{before}{}", step.text)))
        .build();
    sarif::ThreadFlowLocation::builder()
        .location(location)
        .nesting_level(i64::from(step.depth))
        .execution_order(i64::try_from(told.number).unwrap_or(i64::MAX))
        .build()
}

#[cfg(test)]
mod tests {
    use super::super::super::Location;
    use super::*;

    fn steps(count: u32, file: &str) -> Vec<Step> {
        let place = |line| Location { file: file.into(), line, column: 1, function: "f".into() };
        let step = |n| Step {
            location: place(n),
            depth: 1,
            text: format!("i = {n}"),
            change: None,
            input: None,
            left_out: 0,
        };
        (1..=count).map(step).collect()
    }

    fn told(count: u32, most: usize) -> Vec<(i64, String)> {
        let flows = flows(&steps(count, "a.c"), most, &Sources::default());
        let all = flows.into_iter().flat_map(|flow| flow.thread_flows);
        let text = |location: &sarif::ThreadFlowLocation| {
            location.location.as_ref()?.message.as_ref()?.text.clone()
        };
        all.flat_map(|flow| flow.locations)
            .map(|at| (at.execution_order.unwrap_or_default(), text(&at).unwrap_or_default()))
            .collect()
    }

    #[test]
    fn the_middle_of_a_long_way_is_folded() {
        assert_eq!(told(1000, 1000).len(), 1000);
        let long = told(2400, 1000);
        assert_eq!(long.len(), 1000);
        assert_eq!(long[499], (500, "i = 500".into()));
        assert_eq!(long[500], (1901, "(1400 steps left out) i = 1901".into()));
        assert_eq!(long[999].0, 2400);
        assert_eq!(told(3, 1).len(), 1);
        assert_eq!(told(0, 10).len(), 0);
        assert!(flows(&steps(3, ""), 10, &Sources::default()).is_empty(), "models have no place");
    }
}
