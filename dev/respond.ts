import process from "node:process";
import { text } from "node:stream/consumers";

/** Responds to the process that started this program: JSON on stdin is what it asks for, JSON on stdout what it gets. */
export async function respond<Asked, Returned>(
  fn: (asked: Asked) => Returned | Promise<Returned>,
): Promise<void> {
  const returned = await fn(JSON.parse(await text(process.stdin)) as Asked);
  await new Blob([JSON.stringify(returned)]).stream().pipeTo(Deno.stdout.writable);
}
