//! What `--dump` shows of one program's model, stage by stage. The text depends on the program alone.

use crate::cancel::Cancel;
use crate::check;
use crate::config::{Dump, DumpFormat, Settings, Stage};
use crate::ir::{self, Program};
use crate::pta::{self, PointsTo};
use crate::svfg::{self, Svfg};
use crate::{rules, sfg};
use std::fmt::Write;

/// Spatial flow graphs shown of one program: each is as long as the part of the program it is.
const MOST_SFG: usize = 50;

/// What is printed for one model.
#[derive(Debug, Default)]
pub struct Dumped {
    pub text: String,
    /// A check of the program's own annotations failed.
    pub failed: bool,
}

/// Prints the result of the stage asked for; nothing for a stage before the models.
pub fn dump(program: &Program, settings: &Settings, cancel: &Cancel) -> Dumped {
    let Some(Dump { stage, format }) = settings.dump else { return Dumped::default() };
    let points_to = || pta::analyse(program, &pta::Options::default());
    let text = match stage {
        Stage::Targets => String::new(),
        Stage::Ir => ir::print(program),
        Stage::Pta => match format {
            DumpFormat::Text => pta::dump::points_to_text(program, &points_to()),
            DumpFormat::Dot => pta::dump::points_to_dot(program, &points_to()),
        },
        Stage::Callgraph => match format {
            DumpFormat::Text => pta::dump::call_graph_text(program, &points_to()),
            DumpFormat::Dot => pta::dump::call_graph_dot(program, &points_to()),
        },
        Stage::Svfg => {
            let answer = points_to();
            let graph = svfg::build(program, &answer, svfg::Options::default());
            match format {
                DumpFormat::Text => svfg::dump::text(program, &answer, &graph),
                DumpFormat::Dot => svfg::dump::dot(program, &graph),
            }
        }
        Stage::Sfg => spatial_flow(program, &points_to(), settings, format),
        Stage::Prefilter => check::left(program, settings),
        Stage::Cegas => check::story(program, settings, cancel),
        Stage::Questions => check::questions(program, settings, cancel),
        Stage::AliasChecks => return alias_checks(program, &points_to()),
    };
    Dumped { text, failed: false }
}

/// The spatial flow graphs of the obligations that the chosen rules mark.
fn spatial_flow(
    program: &Program,
    answer: &PointsTo,
    settings: &Settings,
    format: DumpFormat,
) -> String {
    let graph: Svfg = svfg::build(program, answer, svfg::Options { fields: false });
    let callers = sfg::callers(program, answer);
    let cutter = sfg::Cutter::new(program, answer, &graph, &callers);
    let obligations = rules::mark(program, &settings.rules, &settings.assertions);
    let mut out = String::new();
    for obligation in obligations.iter().take(MOST_SFG) {
        let at = obligation.at;
        match (cutter.cut(obligation), format) {
            (Some(cut), DumpFormat::Text) => out += &sfg::dump::text(program, &graph, &cut),
            (Some(cut), DumpFormat::Dot) => out += &sfg::dump::dot(program, &graph, &cut),
            (None, DumpFormat::Text) => _ = writeln!(out, "obligation {at}: not cut"),
            (None, DumpFormat::Dot) => _ = writeln!(out, "// obligation {at}: not cut"),
        }
    }
    if obligations.len() > MOST_SFG {
        let left = obligations.len() - MOST_SFG;
        let mark = if format == DumpFormat::Dot { "//" } else { ";" };
        let _ = writeln!(out, "{mark} {left} more obligations; choose fewer with --rules");
    }
    out
}

fn alias_checks(program: &Program, points_to: &PointsTo) -> Dumped {
    let checks = pta::alias_checks::judge(program, points_to);
    let relations = svfg::demand::judge::judge(program, points_to, &checks);
    let lines = checks.iter().zip(relations);
    Dumped {
        // The second column: what the demand query says of the two pointers on all paths.
        text: lines.map(|(check, relation)| format!("{check}  {relation}\n")).collect(),
        failed: checks.iter().any(|check| !check.ok),
    }
}
