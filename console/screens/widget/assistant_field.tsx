import { Select } from "../../components/form/fields.tsx";
import type { ErrorOf } from "../../components/form/form.tsx";
import { assistantWords } from "../../i18n/assistant_words.ts";
import { ASSISTANT_MODES, type WidgetConfig } from "./widget_config.ts";

/** Whether a machine replies first in a chat. */
export function AssistantField({ config, set, errorOf }: {
  config: WidgetConfig;
  set: (changes: Partial<WidgetConfig>) => void;
  errorOf: ErrorOf;
}) {
  const { first, firstHelp, modes } = assistantWords();
  return (
    <Select
      label={first}
      help={firstHelp}
      value={config.assistant?.mode ?? "off"}
      error={errorOf("config.assistant.mode")}
      options={ASSISTANT_MODES.map((mode) => [mode, modes[mode]] as const)}
      onChange={(mode) => set({ assistant: { mode } })}
    />
  );
}
