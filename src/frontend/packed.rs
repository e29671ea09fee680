//! A program as bytes, in two halves that are read side by side: what its code is, and what the code speaks of.

use crate::ir::Program;

/// The bytes of a program.
pub(super) fn pack(program: &Program) -> Option<Vec<u8>> {
    let Program { name, machine, types, consts, texts, globals, funcs, debug, .. } = program;
    let Program { aliases, constructors, destructors, notes, .. } = program;
    let Program { blocks, insts, values, operand_pool, phi_pool, term_pool, .. } = program;
    let Program { case_pool, block_pool, index_pool, .. } = program;
    let named = (name, machine, types, consts, texts, globals, funcs, debug);
    let listed = (aliases, constructors, destructors, notes);
    let pools = (operand_pool, phi_pool, term_pool, case_pool, block_pool, index_pool);
    let (things, code) = rayon::join(
        || postcard::to_allocvec(&(named, listed)),
        || postcard::to_allocvec(&(blocks, insts, values, pools)),
    );
    let (things, code) = (things.ok()?, code.ok()?);
    let mut bytes = (things.len() as u64).to_le_bytes().to_vec();
    bytes.extend(things);
    bytes.extend(code);
    Some(bytes)
}

/// What [`pack`] made; nothing if the bytes are no program's.
pub(super) fn unpack(bytes: &[u8]) -> Option<Program> {
    let (len, halves) = bytes.split_first_chunk()?;
    let (things, code) =
        halves.split_at_checked(usize::try_from(u64::from_le_bytes(*len)).ok()?)?;
    let (things, code) =
        rayon::join(|| postcard::from_bytes(things).ok(), || postcard::from_bytes(code).ok());
    let (named, listed) = things?;
    let (name, machine, types, consts, texts, globals, funcs, debug) = named;
    let (aliases, constructors, destructors, notes) = listed;
    let (blocks, insts, values, pools) = code?;
    let (operand_pool, phi_pool, term_pool, case_pool, block_pool, index_pool) = pools;
    Some(Program {
        name,
        machine,
        types,
        consts,
        texts,
        globals,
        funcs,
        blocks,
        insts,
        values,
        aliases,
        constructors,
        destructors,
        notes,
        debug,
        operand_pool,
        phi_pool,
        term_pool,
        case_pool,
        block_pool,
        index_pool,
    })
}

#[cfg(test)]
mod tests {
    use super::{pack, unpack};
    use crate::ir::{self, Machine, Program};

    #[test]
    fn a_program_comes_back_and_half_of_one_does_not() {
        let machine = Machine {
            triple: "x".to_owned(),
            data_layout: "e".to_owned(),
            pointer_bits: 64,
            big_endian: false,
        };
        let mut program = Program::new("both halves", machine);
        for text in ["first", "", "first", "last"] {
            let id = program.texts.intern(text);
            assert_eq!(program.texts.get(id), text);
        }
        let bytes = pack(&program).unwrap();
        let again = unpack(&bytes).unwrap();
        assert_eq!(ir::print(&again), ir::print(&program));
        assert_eq!(again.texts.iter().map(|(_, t)| t).collect::<Vec<_>>(), ["first", "", "last"]);
        assert!(unpack(&bytes[..bytes.len() - 1]).is_none());
        assert!(unpack(&bytes[..20]).is_none() && unpack(&[]).is_none());
    }
}
