import type { z } from "zod";
import type { SandboxApp } from "../http/sandbox_app.ts";
import { ControlError } from "./control_error.ts";
import type { FaultBox, Rule } from "./fault_box.ts";
import { readControlBody } from "./read_control_body.ts";

export interface FaultRoutes<F extends object> {
  /** Where they are served: `/sandbox/faults` or `/sandbox/voice/faults`. */
  path: string;
  faults: FaultBox<F>;
  schema: z.ZodType<Rule<F>>;
  /** Called after every change. */
  tell: () => void;
}

/** `POST`, `GET` and `DELETE {path}`, and `DELETE {path}/{id}`. */
export function registerFaultRoutes<F extends object>(app: SandboxApp, routes: FaultRoutes<F>): void {
  const { path, faults, schema, tell } = routes;
  app.get(path, (c) => c.json({ data: faults.list() }));
  app.post(path, async (c) => {
    const rule = faults.add(await readControlBody(c, schema));
    tell();
    return c.json(rule, 201);
  });
  app.delete(path, (c) => {
    const removed = faults.remove();
    tell();
    return c.json({ removed });
  });
  app.delete(`${path}/:id`, (c) => {
    const removed = faults.remove(c.req.param("id"));
    if (removed === 0) throw new ControlError(404, "There is no fault with this id");
    tell();
    return c.json({ removed });
  });
}
