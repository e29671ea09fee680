//! What the user does not want to hear of again: comments in the source, paths and rules in the settings file,
//! and findings that were there before, by a baseline or at an earlier revision.
//!
//! Invariant: silence changes who is told, never what is true. A silenced obligation keeps its verdict; it
//! only no longer counts for the exit code. What silences nothing is itself told.

mod baseline;
mod comments;
mod lexed;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;

use crate::config::Settings;
use crate::report::{
    Note, Obligation, Report, Silenced, SilencedBy, Sources, Verdict, fingerprints,
};
use baseline::Baseline;
use comments::Comment;

/// What was silenced before the scan.
#[derive(Debug, Default)]
pub struct Silencer {
    /// What `--baseline` names.
    accepted: Baseline,
    /// What is about to be written again: its reasons are kept.
    previous: Baseline,
}

impl Silencer {
    /// Reads the baselines, so that a wrong one is refused before the work.
    pub fn prepare(settings: &Settings) -> Result<Self> {
        let accepted = settings.baseline.as_deref().map(Baseline::load).transpose()?;
        // An empty file, as of `mktemp`, holds nothing that could be lost.
        let holds = |path: &&Path| path.metadata().is_ok_and(|m| !m.is_file() || m.len() > 0);
        let old = settings.outputs.write_baseline.as_deref().filter(holds);
        let previous = old.map(Baseline::load).transpose()?;
        Ok(Self { accepted: accepted.unwrap_or_default(), previous: previous.unwrap_or_default() })
    }

    /// Marks what is silenced. Gives the text of the baseline that is to be written, if one is.
    pub fn apply(
        self,
        report: &mut Report,
        sources: &Sources,
        settings: &Settings,
    ) -> Result<Option<String>> {
        // A dump has no findings to silence.
        let files = sources.files().map(|(file, _)| file);
        let files = files.chain(report.files.iter().map(String::as_str));
        let comments = match settings.dump {
            Some(_) => Vec::new(),
            None => comments::all(files, &settings.root)?,
        };
        heed_comments(report, &comments, settings);
        heed_settings(report, settings);
        let names = fingerprints(report, sources);
        let new = settings.outputs.write_baseline.as_ref().map(|_| {
            let known = self.accepted.joined(&self.previous);
            // What was not looked at may still be there.
            let is_whole = is_whole(report, settings);
            let looked_at = |rule: &str| is_whole && settings.rules.contains(&rule);
            Baseline::of(report, &names, &known).with_rest(&self.previous, looked_at)
        });
        let accepted = new.as_ref().unwrap_or(&self.accepted).reasons();
        for (index, name) in &names {
            if let Some(reason) = accepted.get(name.as_str())
                && let Some(obligation) = report.obligations.get_mut(*index)
                && obligation.silenced.is_none()
            {
                let reason = (*reason).to_owned();
                obligation.silenced = Some(Silenced { by: SilencedBy::Baseline, reason });
            }
        }
        heed_revision(report, &names);
        let gone = self.accepted.unmatched(names.values());
        if gone > 0 && is_whole(report, settings) && new.is_none() {
            let (are, them) = if gone == 1 { ("is", "it") } else { ("are", "them") };
            let text = format!(
                "{gone} of the baseline's findings {are} no longer there; --write-baseline drops {them}"
            );
            report.notes.push(Note { about: None, text });
        }
        new.map(|baseline| baseline.text()).transpose()
    }
}

/// Whether everything was looked at that a silencer may be about.
fn is_whole(report: &Report, settings: &Settings) -> bool {
    report.is_whole() && !settings.is_partial()
}

/// What was there at the revision that the scan is compared with is not told again.
fn heed_revision(report: &mut Report, names: &BTreeMap<usize, String>) {
    let Some(before) = report.before.take() else { return };
    for (index, _) in names.iter().filter(|(_, name)| before.findings.contains(*name)) {
        if let Some(obligation) = report.obligations.get_mut(*index)
            && obligation.silenced.is_none()
        {
            let reason = format!("it was there at {}", before.revision);
            obligation.silenced = Some(Silenced { by: SilencedBy::Revision, reason });
        }
    }
    report.before = Some(before);
}

/// Silences what the settings file says. One that silences nothing is told if everything was looked at.
fn heed_settings(report: &mut Report, settings: &Settings) {
    let mut used = vec![false; settings.ignores.len()];
    let open = |obligation: &&mut Obligation| obligation.verdict != Verdict::Safe;
    for obligation in report.obligations.iter_mut().filter(open) {
        let file = settings.root.join(&obligation.location.file);
        for (ignore, used) in settings.ignores.iter().zip(&mut used) {
            if !ignore.is_about(obligation.rule) || !ignore.covers(&file) {
                continue;
            }
            *used = true;
            let by = SilencedBy::Settings;
            let silenced = || Silenced { by, reason: ignore.reason.clone() };
            obligation.silenced.get_or_insert_with(silenced);
        }
    }
    let is_whole = is_whole(report, settings);
    for (ignore, used) in settings.ignores.iter().zip(used) {
        if !used && is_whole && settings.rules.iter().any(|rule| ignore.is_about(rule)) {
            let about = Some(crate::config::SETTINGS_FILE.to_owned());
            let text = format!("the ignore of `{}` silences nothing; remove it", ignore.path);
            report.notes.push(Note { about, text });
        }
    }
}

/// Refuses comments that nobody could heed, before the work.
pub fn refuse_malformed<'a>(files: impl Iterator<Item = &'a str>, root: &Path) -> Result<()> {
    comments::all(files, root).map(drop)
}

fn heed_comments(report: &mut Report, comments: &[Comment], settings: &Settings) {
    let place = |(index, c): (usize, &Comment)| ((c.file.clone(), c.meant, c.rule), index);
    let by_place: BTreeMap<(String, u32, &str), usize> =
        comments.iter().enumerate().map(place).collect();
    let mut used = BTreeSet::new();
    for obligation in &mut report.obligations {
        if obligation.verdict == Verdict::Safe {
            continue;
        }
        let at = &obligation.location;
        let index = by_place.get(&(at.file.to_string(), at.line, obligation.rule));
        if let Some((&index, comment)) = index.and_then(|i| Some((i, comments.get(*i)?))) {
            used.insert(index);
            let reason = comment.reason.clone();
            obligation.silenced = Some(Silenced { by: SilencedBy::Comment, reason });
        }
    }
    // Where not everything was looked at, a comment may be right about the rest.
    let is_whole = is_whole(report, settings);
    for (index, comment) in comments.iter().enumerate() {
        if !used.contains(&index) && is_whole && settings.rules.contains(&comment.rule) {
            let about = Some(format!("{}:{}", comment.file, comment.line));
            let text = format!("`cegas-ignore: {}` silences nothing; remove it", comment.rule);
            report.notes.push(Note { about, text });
        }
    }
}
