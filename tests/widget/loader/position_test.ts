import assert from "node:assert/strict";
import fc from "fast-check";
import { type ButtonPosition, PLACEMENTS, stack } from "../../../widget/loader/position.ts";

const at = (changes: Partial<ButtonPosition> = {}): ButtonPosition => ({
  ...{ placement: "bottom-right", offsetX: 20, offsetY: 20, size: 60 },
  ...changes,
});

Deno.test("stack() leaves the first where it is, and puts the others above it", () => {
  assert.deepEqual(stack([at(), at(), at({ size: 80 })]), [20, 92, 164]);
  assert.deepEqual(stack([at({ size: 80 }), at()]), [20, 112]);
});

Deno.test("stack() leaves alone what lies side by side, or at different corners", () => {
  const beside = [
    at(),
    at({ offsetX: 100 }),
    at({ placement: "bottom-left" }),
    at({ placement: "top-right" }),
  ];

  assert.deepEqual(stack(beside), [20, 20, 20, 20]);
});

Deno.test("stack() lets no two buttons of a corner meet", () => {
  const position = fc.record({
    placement: fc.constantFrom(...PLACEMENTS),
    offsetX: fc.integer({ min: 0, max: 500 }),
    offsetY: fc.integer({ min: 0, max: 500 }),
    size: fc.integer({ min: 24, max: 200 }),
  });
  fc.assert(fc.property(fc.array(position, { maxLength: 8 }), (positions) => {
    const offsets = stack(positions);
    const placed = positions.map((each, index) => ({ ...each, offsetY: offsets[index]! }));
    for (const [index, one] of placed.entries()) {
      for (const other of placed.slice(index + 1).filter(({ placement }) => placement === one.placement)) {
        const meet = one.offsetX < other.offsetX + other.size && other.offsetX < one.offsetX + one.size &&
          one.offsetY < other.offsetY + other.size && other.offsetY < one.offsetY + one.size;
        assert.ok(!meet);
      }
    }
  }));
});
