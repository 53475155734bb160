import assert from "node:assert/strict";
import { readJunitReport } from "./junit_report.ts";

const REPORT = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="deno test" tests="6" failures="3" errors="0" time="0.013">
    <testsuite name="./tests/a_test.ts" tests="6" disabled="1" errors="0" failures="3">
        <testcase name="good" classname="./tests/a_test.ts" time="0.002" line="7" col="6">
        </testcase>
        <testcase name="bad &lt;testcase name=&quot;x&quot;" classname="./tests/a_test.ts" time="0.001" line="8" col="6">
            <failure message="Uncaught Error: &lt;skipped/&gt;">Error</failure>
        </testcase>
        <testcase name="ignored" classname="./tests/a_test.ts" time="0.000" line="9" col="6">
            <skipped/>
        </testcase>
        <testcase name="filtered out" classname="./tests/a_test.ts" line="9" col="6">
            <skipped/>
        </testcase>
        <testcase name="steps" classname="./tests/a_test.ts" time="0.001" line="10" col="6">
            <failure message="1 test step failed">1 test step failed.</failure>
        </testcase>
        <testcase name="steps &gt; first" classname="./tests/a_test.ts" time="0.000" line="10" col="43">
        </testcase>
        <testcase name="steps &gt; second" classname="./tests/a_test.ts" time="0.000" line="10" col="73">
            <failure message="Uncaught Error: s2">Error: s2</failure>
        </testcase>
        <testcase name="a &gt; b" classname="./tests/a_test.ts" time="0.000" line="11" col="1">
        </testcase>
    </testsuite>
</testsuites>`;

Deno.test("readJunitReport() counts tests by outcome, without steps and without tests a filter left out", () => {
  const files = readJunitReport(REPORT);

  assert.deepEqual(files, [{
    file: "tests/a_test.ts",
    passed: 2,
    failed: 2,
    skipped: 1,
    leftOut: 1,
    cancelled: [],
  }]);
});

Deno.test("readJunitReport() names the tests that were going on when the run was stopped", () => {
  const [file] = readJunitReport(`<testsuites name="deno test" tests="2" failures="0" errors="1" time="4.921">
    <testsuite name="./tests/a_test.ts" tests="2" disabled="1" errors="1" failures="0">
        <testcase name="&quot;a&quot; &gt; 1" classname="./tests/a_test.ts" time="0.000" line="3" col="6">
            <error message="Cancelled"/>
        </testcase>
        <testcase name="after" classname="./tests/a_test.ts" line="4" col="6">
            <skipped/>
        </testcase>
    </testsuite>
</testsuites>`);

  assert.deepEqual([file?.failed, file?.leftOut, file?.cancelled], [1, 1, ['"a" > 1']]);
});

Deno.test("readJunitReport() finds nothing in an empty report", () => {
  assert.deepEqual(readJunitReport("<testsuites></testsuites>"), []);
});
