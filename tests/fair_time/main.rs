//! One obligation that nobody decides in time does not take the time of the others.

#[path = "../tool/mod.rs"]
mod tool;

use tool::Place;

#[test]
fn the_others_are_decided() {
    let place = Place::new();
    place.write("a.c", include_str!("one_hard.c"));
    // With one worker and with several: each gets its part.
    for jobs in ["-j1", "-j4"] {
        let arguments =
            ["--no-cache", "--rules=assertion", "--timeout=5", jobs, "--json=r.json", "a.c"];
        let scan = place.scan(&arguments);
        let report: serde_json::Value =
            serde_json::from_str(&place.read("r.json")).unwrap_or_else(|_| panic!("{scan:?}"));
        let obligations = report["obligations"].as_array().expect("obligations");
        assert_eq!(obligations.len(), 11);
        let open = obligations.iter().filter(|o| o["verdict"] != "safe");
        let open: Vec<_> = open.map(|o| o["location"]["line"].as_u64()).collect();
        assert_eq!(open, [Some(16)], "{jobs}");
    }
}
