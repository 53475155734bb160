import { Field, Select } from "../../components/form/fields.tsx";
import type { ErrorOf } from "../../components/form/form.tsx";
import { assistantWords } from "../../i18n/assistant_words.ts";
import { ASSISTANT_MODES, type WidgetConfig } from "./widget_config.ts";

/** Whether a machine replies first in a chat, and which. */
export function AssistantField({ config, set, errorOf }: {
  config: WidgetConfig;
  set: (changes: Partial<WidgetConfig>) => void;
  errorOf: ErrorOf;
}) {
  const { first, firstHelp, modes, agent, agentHelp } = assistantWords();
  const { mode = "off", agent_id = "" } = config.assistant ?? {};
  return (
    <>
      <Select
        label={first}
        help={firstHelp}
        value={mode}
        error={errorOf("config.assistant.mode")}
        options={ASSISTANT_MODES.map((mode) => [mode, modes[mode]] as const)}
        onChange={(mode) => set({ assistant: { mode } })}
      />
      {mode === "agent" && (
        <Field
          label={agent}
          help={agentHelp}
          value={agent_id}
          error={errorOf("config.assistant.agent_id")}
          onChange={(agent_id) => set({ assistant: { mode, agent_id } })}
        />
      )}
    </>
  );
}
