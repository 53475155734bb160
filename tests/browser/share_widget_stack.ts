import { startWidgetStack, type WidgetStack } from "./widget_stack.ts";

/** For tests of a shared stack: it is there before each test and after it, and goes on talking meanwhile. */
export const SHARED = { sanitizeOps: false, sanitizeResources: false };

/** Starts one stack for all tests of the file. Returns how to get it: undefined when this machine has no Chromium. */
export function shareWidgetStack(): () => WidgetStack | undefined {
  let stack: WidgetStack | undefined;
  Deno.test.beforeAll(async () => {
    stack = await startWidgetStack();
  });
  Deno.test.afterAll(async () => {
    await stack?.close();
  });
  return () => stack;
}
