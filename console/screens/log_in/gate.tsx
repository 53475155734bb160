import { arrival } from "../../data/session/arrival.ts";
import { askingApp } from "../../data/session/asking_app.ts";
import { companiesProblem } from "../../data/company.ts";
import { session } from "../../data/session/session.ts";
import { Arrive } from "./arrive.tsx";
import { AskForCode } from "./ask_for_code.tsx";
import { Connect } from "./connect.tsx";
import { LogIn } from "./log_in.tsx";

/** The pages before the frame: the link of an e-mail, the log-in with its second step, and an app that asks to be let in. */
export default function Gate() {
  if (arrival.value) return <Arrive with={arrival.value} />;
  if (session.value === undefined) return <LogIn />;
  if (companiesProblem.value?.code === "second_factor_required") return <AskForCode />;
  return askingApp.value === undefined ? null : <Connect authorization={askingApp.value} />;
}
