//! Reads the text form of a program back, ids and all; [`print`](super::print) describes the form.
//!
//! Whatever the text, the answer is a program or an error with its place, never a panic; nothing
//! recurses, and nothing is allocated that the text does not spell out. The parser reads, it does not
//! judge: ids may point nowhere and types may be wrong until [`verify`](super::verify) has passed. A
//! constant need not be in the `const` table to be used; a type must be in the `type` table.

mod debug;
mod inst;
mod line;
mod values;

use super::consts::Init;
use super::ids::{BlockId, FuncId, GlobalId, IdRange, TypeId, ValueId};
use super::program::{
    Block, Def, FuncAttrs, Function, Global, InstData, Linkage, Machine, Program, Value,
};
use super::types::Type;
use super::words::FUNC_ATTRS;
use cranelift_entity::EntityRef;
use line::Line;
use rustc_hash::FxHashMap;
use std::fmt;

/// Why a text is no program, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

type Read<T> = Result<T, ParseError>;

/// The program that prints as `text`.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    let numbered = text.lines().enumerate().map(|(index, text)| Line::new(text, index + 1));
    let lines: Vec<_> = numbered.filter_map(|mut line| (!line.at_end()).then_some(line)).collect();
    let mut parser = Parser::new(&lines)?;
    // What is used may come after its use: names, texts and types first, then what is made of them.
    for mut line in lines.iter().cloned() {
        parser.declare(&mut line)?;
    }
    for mut line in lines.iter().cloned() {
        if line.eat_word("const") {
            parser.const_row(&mut line)?;
        }
    }
    for mut line in lines.iter().skip(2).cloned() {
        parser.statement(&mut line)?;
    }
    parser.finish()
}

/// What `@name` stands for.
#[derive(Debug, Clone, Copy)]
enum Symbol {
    Global(GlobalId),
    Func(FuncId),
}

/// Where the function that is being read stands.
#[derive(Debug)]
struct Body {
    func: FuncId,
    first: BlockId,
    /// A variable is bound at the instruction that comes next.
    bound: bool,
}

struct Parser {
    program: Program,
    /// `None` for a name that several have.
    symbols: FxHashMap<String, Option<Symbol>>,
    types: FxHashMap<Type, TypeId>,
    /// With the line of each. They may be defined in any order.
    values: Vec<(ValueId, Value, usize)>,
    body: Option<Body>,
    last_line: usize,
}

impl Parser {
    /// Reads the first two lines, which say what and where the program is.
    fn new(lines: &[Line<'_>]) -> Read<Parser> {
        let mut first = lines.first().cloned().unwrap_or(Line::new("", 1));
        first.require_word("program")?;
        let name = first.string()?;
        first.end()?;
        let mut second = lines.get(1).cloned().unwrap_or(Line::new("", first.number + 1));
        second.require_word("machine")?;
        let triple = second.string()?;
        second.require_word("layout")?;
        let data_layout = second.string()?;
        second.require_word("pointer")?;
        let pointer_bits = second.int()?;
        let big_endian = second.eat_word("big");
        if !big_endian {
            second.require_word("little")?;
        }
        second.end()?;
        let machine = Machine { triple, data_layout, pointer_bits, big_endian };
        Ok(Parser {
            program: Program::new(&name, machine),
            symbols: FxHashMap::default(),
            types: FxHashMap::default(),
            values: Vec::new(),
            body: None,
            last_line: lines.last().map_or(1, |line| line.number),
        })
    }

    /// Takes in what other lines may refer to before it comes.
    fn declare(&mut self, line: &mut Line<'_>) -> Read<()> {
        match line.peek_word() {
            "text" => self.text_row(line),
            "type" => self.type_row(line),
            "global" => {
                line.require_word("global")?;
                let id = line.id()?;
                self.declare_symbol(line.name("@")?, Symbol::Global(id));
                Ok(())
            }
            "func" => {
                line.require_word("func")?;
                let id = line.id()?;
                self.declare_symbol(line.name("@")?, Symbol::Func(id));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn declare_symbol(&mut self, name: String, symbol: Symbol) {
        self.symbols.entry(name).and_modify(|known| *known = None).or_insert(Some(symbol));
    }

    /// `@name`, or `@name#f3` where the name alone does not say which.
    fn symbol(&mut self, line: &mut Line<'_>) -> Read<Symbol> {
        let before = line.clone();
        let name = line.name("@")?;
        if line.eat("#") {
            return match line.try_id() {
                Some(func) => Ok(Symbol::Func(func)),
                None => line.id().map(Symbol::Global),
            };
        }
        match self.symbols.get(&name) {
            Some(Some(symbol)) => Ok(*symbol),
            Some(None) => {
                Err(before.error(format!("several are called @{name}; add the id, as in `#f3`")))
            }
            None => Err(before.error(format!("nothing is called @{name}"))),
        }
    }

    fn func(&mut self, line: &mut Line<'_>) -> Read<FuncId> {
        let before = line.clone();
        match self.symbol(line)? {
            Symbol::Func(func) => Ok(func),
            Symbol::Global(_) => Err(before.error("expected a function, but this is a global")),
        }
    }

    fn statement(&mut self, line: &mut Line<'_>) -> Read<()> {
        if self.body.is_some() {
            return self.body_line(line);
        }
        let before = line.clone();
        match line.word("a statement")? {
            // Read before.
            "text" | "type" | "const" => return Ok(()),
            "global" => self.global_row(line)?,
            "alias" => {
                let name = line.name("@")?;
                line.require("=")?;
                let target = self.constant(line)?;
                self.program.aliases.push((name, target));
            }
            "constructor" => {
                let func = self.func(line)?;
                self.program.constructors.push(func);
            }
            "destructor" => {
                let func = self.func(line)?;
                self.program.destructors.push(func);
            }
            "note" => self.program.notes.push(line.string()?),
            "func" => self.function(line)?,
            "file" => self.file_row(line)?,
            "loc" => self.loc_row(line)?,
            "var" => self.var_row(line)?,
            "ctype" => self.ctype_row(line)?,
            other => return Err(before.error(format!("`{other}` starts no statement"))),
        }
        line.end()
    }

    fn global_row(&mut self, line: &mut Line<'_>) -> Read<()> {
        line.label::<GlobalId>(self.program.globals.len())?;
        let name = line.name("@")?;
        line.require(":")?;
        let ty = self.ty(line)?;
        line.require_word("size")?;
        let size = line.int()?;
        line.require_word("align")?;
        let align = line.int()?;
        let linkage: Linkage = line.table_word("a linkage")?;
        let constant = line.eat_word("constant");
        let thread_local = line.eat_word("thread_local");
        let var = if line.eat("!") { Some(line.id()?) } else { None }.into();
        let init = if line.eat("=") { Some(self.init(line)?) } else { None };
        self.program.globals.push(Global {
            name,
            ty,
            size,
            align,
            linkage,
            constant,
            thread_local,
            init,
            var,
        });
        Ok(())
    }

    fn init(&mut self, line: &mut Line<'_>) -> Read<Init> {
        let bytes = line.bytes()?.into();
        let mut relocs = Vec::new();
        if line.peek("[") {
            relocs = line.list(("[", "]"), |line| {
                let offset = line.int()?;
                line.require(":")?;
                Ok((offset, self.constant(line)?))
            })?;
        }
        Ok(Init { bytes, relocs: relocs.into() })
    }

    /// The line that starts a function, or declares one.
    fn function(&mut self, line: &mut Line<'_>) -> Read<()> {
        let func = line.label::<FuncId>(self.program.funcs.len())?;
        let name = line.name("@")?;
        let (params, nonnull_params, variadic) = self.params(line, func)?;
        line.require("->")?;
        let result = self.ty(line)?;
        let linkage = line.table_word("a linkage")?;
        let mut attrs = FuncAttrs::default();
        for (word, flag) in FUNC_ATTRS {
            *flag(&mut attrs) = line.eat_word(word);
        }
        let loc = if line.eat("!") { Some(line.id()?) } else { None }.into();
        let blocks = IdRange::default();
        self.program.funcs.push(Function {
            name,
            linkage,
            result,
            params,
            variadic,
            blocks,
            attrs,
            nonnull_params,
            loc,
        });
        if line.eat("{") {
            let first = self.program.blocks.next_key();
            self.body = Some(Body { func, first, bound: false });
        }
        Ok(())
    }

    fn params(&mut self, line: &mut Line<'_>, func: FuncId) -> Read<(IdRange<ValueId>, u64, bool)> {
        let (mut nonnull, mut variadic) = (0u64, false);
        let mut params: Option<(ValueId, u32)> = None;
        line.list(("(", ")"), |line| {
            if variadic {
                return Err(line.error("`...` comes last"));
            }
            if line.eat("...") {
                variadic = true;
                return Ok(());
            }
            let before = line.clone();
            let index = params.map_or(0, |(_, count)| count);
            let param = self.definition(line, Def::Param { func, index })?;
            let first = params.map_or(param, |(first, _)| first);
            if first.index() + index as usize != param.index() {
                return Err(before.error("the parameters of a function are consecutive values"));
            }
            params = Some((first, index + 1));
            if line.eat_word("nonnull") {
                nonnull |= 1u64
                    .checked_shl(index)
                    .ok_or_else(|| line.error("only the first 64 parameters can be `nonnull`"))?;
            }
            Ok(())
        })?;
        let range = params.map(|(first, count)| {
            IdRange::new(first, ValueId::new(first.index() + count as usize))
        });
        Ok((range.unwrap_or_default(), nonnull, variadic))
    }

    /// A value where it is defined: `v3 %name: i32`.
    fn definition(&mut self, line: &mut Line<'_>, def: Def) -> Read<ValueId> {
        let id = line.id()?;
        let named = line.peek("%");
        let name = if named { Some(self.program.texts.intern(&line.name("%")?)) } else { None };
        line.require(":")?;
        let ty = self.ty(line)?;
        self.values.push((id, Value { ty, def, name: name.into() }, line.number));
        Ok(id)
    }

    /// A label, a binding, an instruction or the end of the function.
    fn body_line(&mut self, line: &mut Line<'_>) -> Read<()> {
        let Some(body) = &mut self.body else { return Ok(()) };
        let ends = line.peek("}");
        let label = line.clone().try_id::<BlockId>().is_some();
        if body.bound && (ends || label) {
            return Err(line.error("expected an instruction after `bind`"));
        }
        if ends {
            line.require("}")?;
            let range = IdRange::new(body.first, self.program.blocks.next_key());
            self.program.funcs[body.func].blocks = range;
            self.body = None;
        } else if label {
            line.label::<BlockId>(self.program.blocks.len())?;
            line.require(":")?;
            let insts = self.program.insts.next_key();
            let insts = IdRange::new(insts, insts);
            self.program.blocks.push(Block { func: body.func, insts });
        } else if line.eat_word("bind") {
            body.bound = true;
            self.bind(line)?;
        } else {
            body.bound = false;
            let first = body.first;
            self.inst_line(line, first)?;
        }
        line.end()
    }

    fn inst_line(&mut self, line: &mut Line<'_>, first: BlockId) -> Read<()> {
        let Some((block, _)) = self.program.blocks.last().filter(|(block, _)| *block >= first)
        else {
            return Err(line.error("expected a block's label, as in `b0:`, before an instruction"));
        };
        let id = self.program.insts.next_key();
        let mut result = None;
        if line.clone().try_id::<ValueId>().is_some() {
            result = Some(self.definition(line, Def::Inst(id))?);
            line.require("=")?;
        }
        let inst = self.inst(line)?;
        let loc = if line.eat("!") { Some(line.id()?) } else { None }.into();
        self.program.insts.push(InstData { inst, block, result: result.into(), loc });
        let start = self.program.blocks[block].insts.first().unwrap_or(id);
        self.program.blocks[block].insts = IdRange::new(start, self.program.insts.next_key());
        Ok(())
    }

    fn finish(mut self) -> Read<Program> {
        if self.body.is_some() {
            let message = "the last function is never closed".to_owned();
            return Err(ParseError { line: self.last_line, column: 1, message });
        }
        self.values.sort_by_key(|&(id, ..)| id);
        for &(id, value, line) in &self.values {
            let next = self.program.values.next_key();
            if id != next {
                let message = if id < next {
                    format!("{id} is defined twice")
                } else {
                    format!("{id} is defined, but {next} is not; values are numbered without gap")
                };
                return Err(ParseError { line, column: 1, message });
            }
            self.program.values.push(value);
        }
        Ok(self.program)
    }
}
