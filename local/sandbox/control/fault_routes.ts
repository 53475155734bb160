import type { SandboxApp } from "../http/sandbox_app.ts";
import type { Platform } from "../platform.ts";
import { ControlError } from "./control_error.ts";
import { faultRuleSchema } from "./fault.ts";
import { readControlBody } from "./read_control_body.ts";

/** `POST`, `GET` and `DELETE /sandbox/faults`, and `DELETE /sandbox/faults/{id}`. */
export function registerFaultRoutes(app: SandboxApp, platform: Platform): void {
  const tell = () =>
    platform.events.publish({ kind: "faults", faults: structuredClone(platform.faults.list()) });
  app.get("/sandbox/faults", (c) => c.json({ data: platform.faults.list() }));
  app.post("/sandbox/faults", async (c) => {
    const rule = platform.faults.add(await readControlBody(c, faultRuleSchema));
    tell();
    return c.json(rule, 201);
  });
  app.delete("/sandbox/faults", (c) => {
    const removed = platform.faults.remove();
    tell();
    return c.json({ removed });
  });
  app.delete("/sandbox/faults/:id", (c) => {
    const removed = platform.faults.remove(c.req.param("id"));
    if (removed === 0) throw new ControlError(404, "There is no fault with this id");
    tell();
    return c.json({ removed });
  });
}
