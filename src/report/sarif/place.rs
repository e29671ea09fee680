//! Places as SARIF names them: URIs relative to the root, and regions of one line.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use serde_sarif::sarif;

use super::super::Location;
use super::super::sources::Sources;

/// What relative paths are relative to.
pub const ROOT: &str = "%SRCROOT%";

/// What stands for itself in the path of a URI.
const PATH: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A folder's URI; it ends in a slash, or what is relative to it would replace its last name.
pub fn folder(path: &Path) -> String {
    let path = percent_encode(path.as_os_str().as_bytes(), PATH).to_string();
    format!("file://{}/", path.trim_end_matches('/'))
}

/// A whole file.
pub fn file(name: &str) -> sarif::Location {
    let place = sarif::PhysicalLocation::builder().artifact_location(artifact(name)).build();
    sarif::Location::builder().physical_location(place).build()
}

/// A place in a file.
pub fn place(at: &Location, sources: &Sources) -> sarif::PhysicalLocation {
    sarif::PhysicalLocation::builder()
        .artifact_location(artifact(&at.file))
        .region(region(at, sources))
        .build()
}

/// From the place's column to the end of what it points to, or the line if neither is known.
fn region(at: &Location, sources: &Sources) -> sarif::Region {
    // A line is needed by every reader; the first one stands for "not known".
    let line = i64::from(at.line.max(1));
    let region = sarif::Region::builder().start_line(line).end_line(line);
    let Some(columns) = sources.columns(at) else {
        let column = i64::from(at.column.max(1));
        return region.start_column(column).end_column(column + 1).build();
    };
    let number = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    region.start_column(number(columns.start + 1)).end_column(number(columns.end + 1)).build()
}

fn artifact(file: &str) -> sarif::ArtifactLocation {
    let path = percent_encode(file.as_bytes(), PATH);
    if file.starts_with('/') {
        return sarif::ArtifactLocation::builder().uri(format!("file://{path}")).build();
    }
    sarif::ArtifactLocation::builder().uri(path.to_string()).uri_base_id(ROOT).build()
}
