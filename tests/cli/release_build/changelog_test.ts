import assert from "node:assert/strict";
import { changesOf } from "../../../cli/release_build/changelog.ts";

const CHANGELOG = `# Changelog

Before.

## Unreleased (1.2.0)

- New.

### More

- Newer.

## 1.1.20 (2027-01-02)

- Old.

## 1.1.2

- Oldest.
`;

for (
  const [version, expected] of [
    ["1.2.0", "## Unreleased (1.2.0)\n\n- New.\n\n### More\n\n- Newer.\n"],
    ["1.1.20", "## 1.1.20 (2027-01-02)\n\n- Old.\n"],
    ["1.1.2", "## 1.1.2\n\n- Oldest.\n"],
  ] as const
) {
  Deno.test(`changesOf() returns the section of ${version}, up to the next version`, () => {
    assert.equal(changesOf(CHANGELOG, version), expected);
  });
}

Deno.test("changesOf() refuses a version without a section, also one that begins as another does", () => {
  for (const version of ["1.1", "2", "1.2.0-rc.1"]) {
    assert.throws(() => changesOf(CHANGELOG, version), { code: "build_failed" }, version);
  }
});
