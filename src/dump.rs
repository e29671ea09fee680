//! What `--dump` shows of one program's model, stage by stage. The text depends on the program alone.

use crate::config::{Dump, DumpFormat, Settings, Stage};
use crate::ir::{self, Program};
use crate::pta::{self, PointsTo};

/// What is printed for one model.
#[derive(Debug, Default)]
pub struct Dumped {
    pub text: String,
    /// A check of the program's own annotations failed.
    pub failed: bool,
}

/// Prints the result of the stage asked for; nothing for a stage before the models.
pub fn dump(program: &Program, settings: &Settings) -> Dumped {
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
        Stage::AliasChecks => return alias_checks(program, &points_to()),
    };
    Dumped { text, failed: false }
}

fn alias_checks(program: &Program, points_to: &PointsTo) -> Dumped {
    let checks = pta::alias_checks::judge(program, points_to);
    Dumped {
        text: checks.iter().map(|check| format!("{check}\n")).collect(),
        failed: checks.iter().any(|check| !check.ok),
    }
}
