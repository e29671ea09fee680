"""BenchExec's view of cegas-scan: how it is called for a task, and what its output means.

Used with PYTHONPATH=…/integration/benchexec and tool="cegas.scan"; see docs/ci.md.
"""

import re

import benchexec.result as result
import benchexec.tools.template
from benchexec.tools.sv_benchmarks_util import ILP32, LP64, get_data_model_from_task

# What a violation of each rule is called in SV-COMP's properties.
MEANING = {
    "assertion": result.RESULT_FALSE_REACH,
    "null-deref": result.RESULT_FALSE_DEREF,
    "out-of-bounds": result.RESULT_FALSE_DEREF,
    "use-after-free": result.RESULT_FALSE_DEREF,
    "double-free": result.RESULT_FALSE_FREE,
    "invalid-free": result.RESULT_FALSE_FREE,
    "leak": result.RESULT_FALSE_MEMTRACK,
    "signed-overflow": result.RESULT_FALSE_OVERFLOW,
}


class Tool(benchexec.tools.template.BaseTool2):
    """cegas-scan, a model checker for C."""

    def executable(self, tool_locator):
        return tool_locator.find_executable("cegas-scan")

    def name(self):
        return "cegas-scan"

    def version(self, executable):
        first = self._version_from_tool(executable).splitlines()
        return first[0].removeprefix("cegas-scan").strip() if first else ""

    def cmdline(self, executable, options, task, rlimits):
        if task.property_file:
            options = [*options, f"--property={task.property_file}"]
        flag = get_data_model_from_task(task, {ILP32: "-m32", LP64: "-m64"})
        if flag:
            options = [*options, f"--cflags={flag}"]
        # Some of the time is left for compiling and reporting. One obligation may take all of it.
        if rlimits.cputime and not any(option.startswith("--timeout") for option in options):
            options = [*options, f"--timeout={max(1, int(rlimits.cputime * 0.9))}"]
        return [executable, "--no-cache", "--progress=never", *options, *task.input_files]

    def determine_result(self, run):
        if run.exit_code.signal or run.exit_code.value == 2:
            return result.RESULT_ERROR
        text = "\n".join(line.rstrip("\n") for line in run.output)
        verdicts = re.findall(r"^verdict: (safe|unsafe|unknown) ", text, re.M)
        if verdicts[-1:] == ["safe"]:
            return result.RESULT_TRUE_PROP
        if verdicts[-1:] == ["unsafe"]:
            rules = re.findall(r"^error\[([a-z-]+)\]: ", text, re.M)
            if any("memcleanup" in argument for argument in run.cmdline if argument.startswith("--property=")):
                return result.RESULT_FALSE_MEMCLEANUP
            return MEANING.get(rules[0], result.RESULT_FALSE_PROP) if rules else result.RESULT_FALSE_PROP
        return result.RESULT_UNKNOWN
