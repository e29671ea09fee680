//! Where reports go: standard output, or files that are complete or untouched.
//!
//! Invariant: a report file is written beside its place and then renamed, so a reader never sees half
//! of one and a failure destroys no earlier one.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tempfile::NamedTempFile;

use super::{Report, Sources, annotations, html, json, junit, sarif, text, witness};
use crate::config::{OutputPlace, Outputs, Settings};
use crate::versions::Versions;

/// Refuses outputs that could not be written, before the work is done.
pub fn check_writable(outputs: &Outputs) -> Result<()> {
    for path in outputs.files() {
        prepare(path).with_context(|| cannot_write(path))?;
    }
    Ok(())
}

/// Tells the report in every way asked for.
pub fn write(
    report: &Report,
    sources: &Sources,
    settings: &Settings,
    versions: &Versions,
) -> Result<()> {
    write_files(report, sources, settings, versions)?;
    if let Some(dump) = &report.dump {
        put(&OutputPlace::Stdout, dump)?;
        text::warn(report, settings).context("standard error")?;
    } else if !settings.outputs.takes_stdout() {
        put(&OutputPlace::Stdout, &report.paths)?;
        // Before the report for people, whose last lines are what one looks for at the end of a log.
        if settings.outputs.annotations {
            put(&OutputPlace::Stdout, &annotations::render(report, sources))?;
        }
        text::print(report, sources, settings).context("standard output")?;
    }
    Ok(())
}

/// Writes what programs read.
pub fn write_files(
    report: &Report,
    sources: &Sources,
    settings: &Settings,
    versions: &Versions,
) -> Result<()> {
    let Outputs { json, sarif, html, junit, proofs, .. } = &settings.outputs;
    if let Some(place) = json {
        put_by(place, |out| json::write(report, versions, out))?;
    }
    if let Some(place) = sarif {
        put_by(place, |out| sarif::write(report, sources, settings, versions, out))?;
    }
    if let Some(place) = html {
        put_by(place, |out| html::write(report, sources, settings, versions, out))?;
    }
    if let Some(place) = junit {
        put_by(place, |out| junit::write(report, out))?;
    }
    if let Some(place) = proofs {
        put(place, &witness::render(report, sources, settings))?;
    }
    Ok(())
}

fn put(place: &OutputPlace, content: &str) -> Result<()> {
    put_by(place, |out| Ok(out.write_all(content.as_bytes())?))
}

fn put_by(place: &OutputPlace, content: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    match place {
        OutputPlace::Stdout => {
            let mut out = BufWriter::new(io::stdout().lock());
            content(&mut out).and_then(|()| Ok(out.flush()?)).context("standard output")
        }
        OutputPlace::File(path) => replace_by(path, content).with_context(|| cannot_write(path)),
    }
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

/// A report's place, made ready.
enum Prepared {
    /// Something that is not a file, such as /dev/null or a pipe: renaming over it would destroy it.
    Stream(fs::File),
    /// A new file beside the place.
    Beside(NamedTempFile, PathBuf),
}

fn prepare(path: &Path) -> Result<Prepared> {
    // A link stays a link: what it points to is replaced.
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&real) {
        Ok(there) if there.is_dir() => bail!("it is a folder"),
        Ok(there) if !there.is_file() => {
            return Ok(Prepared::Stream(fs::OpenOptions::new().write(true).open(&real)?));
        }
        // Renaming would get round the owner's wish.
        Ok(there) if there.permissions().readonly() => bail!("it is read-only"),
        Ok(_) | Err(_) => {}
    }
    let folder = match real.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let file = tempfile::Builder::new()
        .prefix(".cegas-")
        // A report is as readable as any file its user makes; the umask is applied to this.
        .permissions(fs::Permissions::from_mode(0o666))
        .tempfile_in(folder)
        .map_err(|error| io::Error::new(error.kind(), plain(&error)))?;
    Ok(Prepared::Beside(file, real))
}

/// The reason alone: the name of the temporary file would only puzzle.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" at path ").next().unwrap_or(&text).to_owned()
}

/// Puts a text into a file, whole or not at all.
pub fn replace(path: &Path, content: &str) -> Result<()> {
    let whole = |out: &mut dyn Write| Ok(out.write_all(content.as_bytes())?);
    replace_by(path, whole).with_context(|| cannot_write(path))
}

fn replace_by(path: &Path, content: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    match prepare(path)? {
        Prepared::Stream(stream) => {
            let mut out = BufWriter::new(stream);
            content(&mut out)?;
            out.flush()?;
        }
        Prepared::Beside(mut file, real) => {
            let mut out = BufWriter::new(&mut file);
            content(&mut out)?;
            out.flush()?;
            drop(out);
            file.persist(real).map_err(|failed| failed.error)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_report_destroys_nothing() {
        let top = tempfile::tempdir().unwrap();
        let old = top.path().join("r.json");
        fs::write(&old, "old").unwrap();
        replace(&old, "new").unwrap();
        assert_eq!(fs::read(&old).unwrap(), b"new");
        fs::set_permissions(&old, fs::Permissions::from_mode(0o444)).unwrap();
        assert!(replace(&old, "newer").is_err());
        assert_eq!(fs::read(&old).unwrap(), b"new");
        assert!(replace(top.path(), "x").is_err());
        assert!(replace(&top.path().join("missing/r.json"), "x").is_err());
        assert_eq!(fs::read_dir(top.path()).unwrap().count(), 1, "nothing is left lying about");
    }

    #[test]
    fn devices_and_links_stay_what_they_are() {
        replace(Path::new("/dev/null"), "x").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        let top = tempfile::tempdir().unwrap();
        let (file, link) = (top.path().join("file"), top.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        replace(&link, "new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
    }
}
