import type { VisitorCaps, Widget } from "../../data/sdk.ts";
import type { WidgetConfig } from "./widget_config.ts";

/** The parts of a widget that can be changed, as they are entered. */
export interface Draft {
  name: string;
  config: WidgetConfig;
  allowed_origins: string[];
  max_session_minutes: number;
  caps: VisitorCaps;
}

/** Changes a draft. */
export type ChangeDraft = (change: Partial<Draft>) => void;

/** Returns what is stored of a widget, to change it. */
export function draftOf({ name, config, allowed_origins, max_session_minutes, caps }: Widget): Draft {
  return { name, config, allowed_origins, max_session_minutes, caps };
}

/** Whether two drafts say the same. */
export function isSameDraft(one: Draft, other: Draft): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
