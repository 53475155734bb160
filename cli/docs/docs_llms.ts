import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { makeLlmsText } from "./llms_text.ts";
import { print } from "../terminal/print.ts";

/** `deno task docs:llms` writes `docs/llms.txt`. */
if (import.meta.main) {
  const root = resolve(fileURLToPath(import.meta.url), "../../..");
  const path = join(root, "docs", "llms.txt");
  await Deno.writeTextFile(path, await makeLlmsText(root));
  print(path);
}
