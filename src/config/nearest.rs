//! "Did you mean": the known name nearest to a misspelt one.

/// The known name that `wrong` most likely stands for, if any is near enough to be worth naming.
/// Ties go to the earlier one, so that messages do not change from run to run.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Two slips, or a third of a long name: beyond that a suggestion misleads.
    let allowed = (wrong.chars().count() / 3).max(2);
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(wrong, name), name))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn suggests_only_what_is_near() {
        let known = ["build-dir", "cflags", "json"];
        assert_eq!(nearest("buid-dir", known), Some("build-dir"));
        assert_eq!(nearest("cflag", known), Some("cflags"));
        assert_eq!(nearest("colour", known), None);
    }
}
