import { type Choices, missingFields, numberColumn, type People } from "./draft.ts";
import { wrongVariables } from "./steps/agent_variables.ts";
import { fieldLabel } from "./steps/field_label.ts";
import type { Chosen } from "./use_content.ts";
import { words } from "../../i18n/words.ts";

/** Names what is still to be filled in. */
export function missingOf(
  { content, sender }: Chosen,
  people: People | undefined,
  choices: Choices,
): string[] {
  const { needs } = words().compose;
  const ofTemplate = content?.channel === "whatsapp"
    ? content.template
    : { components: [], parameter_format: "POSITIONAL" as const };
  const { audience, campaignName, hour, at, sources, start, variables } = choices;
  const number = audience ? undefined : numberColumn(sources);
  return [
    ...(content ? [] : [needs.message]),
    ...(sender ? [] : [needs.sender]),
    ...(people ? [] : [needs.file]),
    ...(content && people
      ? missingFields({ content, choices }).map((name) => fieldLabel(name, ofTemplate))
      : []),
    ...(content?.channel === "voice" && wrongVariables(variables, number).size > 0 ? [needs.variables] : []),
    ...(campaignName.trim() === "" ? [needs.name] : []),
    ...(start === "later" && at === "" ? [needs.at] : []),
    ...(start === "recipient" && hour === "" ? [needs.hour] : []),
  ];
}
