import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { LAUNCHER_ICONS } from "../../../supabase/functions/_shared/widgets/launcher_icons.ts";
import { parseAppearance } from "../../../widget/shared/appearance.ts";
import { createBubble } from "../../../widget/loader/create_bubble.ts";
import { applyColors } from "../../../widget/shared/colors.ts";
import { directionOf } from "../../../widget/shared/language.ts";
import { drawIcon, makeIcon, makeLogo, SEND_ICON } from "../../../widget/shared/page.ts";
import { api } from "../../data/client.ts";
import { changeQuery } from "../../data/route.ts";
import type { WidgetDetails } from "../../data/sdk.ts";
import { Checkbox, Select } from "../../components/form/fields.tsx";
import type { ChosenText } from "./chosen_texts.ts";
import { languageName } from "./language_name.ts";
import { POSITION, type WidgetConfig } from "./widget_config.ts";
import { widgetWords } from "../../i18n/widget_words.ts";
import { words } from "../../i18n/words.ts";

interface PreviewProps {
  widget: WidgetDetails;
  /** As it is entered, before it is saved. */
  config: WidgetConfig;
  language: string;
  languages: string[];
  chosen: Record<string, ChosenText>;
  /** Shown beside the button, as on a page whose visitor has not opened the widget; empty for none. */
  greeting: string;
}

/** A frame has no more room for the distance from its corner. */
const MAX_OFFSET = 64;

/**
 * The widget as visitors will see it, with the colours by the widget's own rules. It is drawn here, because the real one
 * knows nothing of what is not saved, refuses pages that are not allowed, and would count as a visitor.
 */
export function Preview({ widget, config, language, languages, chosen, greeting }: PreviewProps) {
  const frame = useRef<HTMLDivElement>(null);
  const names = words().widget;
  const { appearance = "light", launcher, logo } = config;
  const [wantsDark, setWantsDark] = useState(false);
  const [opened, setOpened] = useState("");
  // Beside other tabs the widget is shown open, and closed again with the greetings.
  if (greeting === "" && opened !== "") setOpened("");
  const isDark = appearance === "dark" || (appearance === "auto" && wantsDark);
  const { placement, size, offset_x, offset_y } = { ...POSITION, ...config.position };
  useLayoutEffect(() => {
    const { style } = frame.current!;
    const { light, dark } = parseAppearance(config);
    applyColors(frame.current!, isDark ? dark : light);
    style.setProperty("--size", `${Math.min(Math.max(size, 24), 120)}px`);
    style.setProperty("--x", `${Math.min(offset_x, MAX_OFFSET)}px`);
    style.setProperty("--y", `${Math.min(offset_y, MAX_OFFSET)}px`);
  });
  const say = (name: string) => chosen[name]?.text ?? "";
  const paths = launcher?.path ? [launcher.path] : LAUNCHER_ICONS[launcher?.icon ?? "default"];
  const real = realAddress(widget, language);
  return (
    <aside class="preview" aria-label={names.preview}>
      <Select
        label={names.previewIn}
        value={language}
        options={languages.map((tag) => [tag, languageName(tag)] as const)}
        onChange={(tag) => changeQuery({ language: tag })}
      />
      {appearance === "auto" && (
        <Checkbox label={widgetWords().shownDark} value={wantsDark} onChange={setWantsDark} />
      )}
      <div ref={frame} class={`preview-page ${placement}`} lang={language} dir={directionOf(language)}>
        {greeting === "" || greeting === opened
          ? (
            <div class="preview-panel">
              <div class="preview-head">
                {logo && <Drawn make={() => makeLogo(logo)} />}
                <div>
                  <p>
                    <strong>{say("title")}</strong>
                  </p>
                  {say("subtitle") && <p>{say("subtitle")}</p>}
                </div>
              </div>
              {widget.kind === "chat" ? <Chat say={say} /> : <Voice say={say} config={config} />}
            </div>
          )
          : <Greeting text={greeting} closeLabel={say("close_label")} onPress={() => setOpened(greeting)} />}
        <span
          class={`preview-button ${say("launcher_text") && "pill"}`}
          role="img"
          aria-label={say("open_label")}
        >
          <Drawn make={() => paths.length > 0 ? drawIcon(paths) : makeIcon(widget.kind)} />
          {say("launcher_text")}
        </span>
      </div>
      {real && (
        <p class="help">
          <a href={real} target="_blank" rel="noreferrer" aria-description={words().common.newTab}>
            {names.openReal}
          </a>{" "}
          {names.openRealHelp}
        </p>
      )}
    </aside>
  );
}

/** A greeting as the loader draws it: pressing it opens the widget. */
function Greeting({ text, closeLabel, onPress }: { text: string; closeLabel: string; onPress: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const bubble = createBubble({ closeLabel: () => closeLabel, onPress });
    bubble.show(text);
    box.current!.replaceChildren(bubble.element);
  }, [text, closeLabel]);
  return <div ref={box} class="preview-greeting" />;
}

/** Something that the widget's own code draws. */
function Drawn({ make }: { make: () => Element | undefined }) {
  return <span class="preview-icon" ref={(element) => void element?.replaceChildren(make() ?? "")} />;
}

function Chat({ say }: { say: (name: string) => string }) {
  return (
    <>
      <div class="preview-log">
        <p class="preview-message">{say("welcome")}</p>
        <p class="preview-message mine">{words().widget.sample}</p>
        <p class="preview-message">{words().widget.sampleReply}</p>
      </div>
      <div class="preview-write">
        <span>{say("placeholder")}</span>
        <span class="preview-send">
          <Drawn make={() => drawIcon(SEND_ICON)} />
        </span>
      </div>
    </>
  );
}

function Voice({ say, config }: { say: (name: string) => string; config: WidgetConfig }) {
  const { text_input = true, handoff = true } = config.features ?? {};
  return (
    <div class="preview-voice">
      <span class={`preview-orb ${config.animation?.type ?? "orb"}`} />
      <p>{say("welcome")}</p>
      <span class="preview-start">{say("start")}</span>
      {text_input && <span class="preview-plain">{say("write_instead")}</span>}
      {handoff && <span class="preview-plain">{say("handoff")}</span>}
    </div>
  );
}

/** The chat as a page of its own, as it is saved; a voice assistant has none. */
function realAddress({ kind, embed, widget_id }: WidgetDetails, language: string): string | undefined {
  const key = embed && /data-customer="([^"]+)"/.exec(embed)?.[1];
  if (kind !== "chat" || !key) return undefined;
  const query = new URLSearchParams({ customer_id: key, widget_id, lang: language });
  return `${api().getConfig().baseUrl}/widgetWebView?${query}`;
}
