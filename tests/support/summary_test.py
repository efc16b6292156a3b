#!/usr/bin/env python3
"""The summary of a run must count every way in which a program can end badly. A small meson project is run, whose
programs write their cases as googletest does and then hang, complain at exit, crash or fail.

usage: summary_test.py SUMMARIZE_RESULTS
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAM = '''#!/usr/bin/env python3
import os, sys, time
end, result = sys.argv[1], "<failure message='x'/>" if sys.argv[1] == "fails" else ""
output = [one.split("xml:", 1)[1] for one in sys.argv if "xml:" in one]
case = f"<testcase name='case' status='run' classname='Suite'>{result}</testcase>"
if output and end != "crashes":
    with open(output[0], "w") as file:
        file.write(f"<testsuites><testsuite name='Suite'>{case}</testsuite></testsuites>")
if end == "hangs":
    time.sleep(60)
if end == "crashes":
    os.abort()
sys.exit({"leaks": 23, "fails": 1, "skips": 77}.get(end, 0))
'''

ENDS = ["passes", "skips", "fails", "leaks", "crashes", "hangs"]


def run(folder):
    """Leaves part.xml and part.json in `folder`."""
    (folder / "program").write_text(PROGRAM)
    (folder / "program").chmod(0o755)
    tests = ["project('sums')", "program = find_program('program')"]
    for end in ENDS:
        tests.append(f"test('{end}', program, args: ['{end}'], timeout: 5)")
        if end != "skips":
            tests.append(f"test('{end} with cases', program, args: ['{end}'], protocol: 'gtest', timeout: 5)")
    (folder / "meson.build").write_text("\n".join(tests))
    build = folder / "build"
    subprocess.run(["meson", "setup", str(build), str(folder)], check=True, capture_output=True)
    subprocess.run(["meson", "test", "-C", str(build), "--logbase", "part"], capture_output=True, check=False)
    shutil.copy(build / "meson-logs" / "part.json", folder / "part.json")
    shutil.copy(build / "meson-logs" / "part.junit.xml", folder / "part.xml")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run(folder)
        done = subprocess.run([sys.executable, sys.argv[1], str(folder)], capture_output=True, text=True, check=False)
    print(done.stdout, done.stderr)
    failed = [line for line in done.stdout.splitlines() if line.startswith("failed: ")]
    # Each end twice, once with cases; the one that fails by its case is named by it.
    wanted = ["fails", "Suite case", "leaks", "leaks with", "crashes", "crashes with", "hangs", "hangs with"]
    missing = [one for one in wanted if not any(one in line for line in failed)]
    if missing or len(failed) != len(wanted) or done.returncode != 1:
        print("not counted as it should be:", missing or failed)
        return 1
    return 0


sys.exit(main())
