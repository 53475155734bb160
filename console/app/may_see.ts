import { isTest, may } from "../data/company.ts";
import type { Screen } from "./screens.ts";

/** Whether the member may see a screen of the company that is shown, as far as its kind and their role go. */
export function maySee({ role = "viewer", isOfLive = false }: Screen): boolean {
  return may(role) && !(isOfLive && isTest());
}
