import { Drawer } from "../components/dialog/dialog.tsx";
import { maySee } from "./may_see.ts";
import { SCREENS } from "./screens.ts";
import { openHelper } from "./shortcuts.ts";
import { words } from "../i18n/words.ts";

/** Every key, and what it does. */
export function ShortcutsHelp() {
  const { shortcut, goTo } = words().common;
  const screens = SCREENS.filter((screen) => screen.key && maySee(screen));
  const rows: [string[], string][] = [
    [["Ctrl", "K"], shortcut.palette],
    [["?"], shortcut.help],
    [["l"], shortcut.live],
    [["/"], shortcut.filter],
    [["j"], shortcut.next],
    [["k"], shortcut.previous],
    [["Esc"], shortcut.close],
    ...Object.entries(words().inbox.keysHelp).map(([key, what]) => [[key], what] as [string[], string]),
    ...screens.map((screen) =>
      [["g", screen.key!], goTo(words().screens[screen.path])] as [string[], string]
    ),
  ];
  return (
    <Drawer title={words().common.shortcuts} onClose={() => openHelper.value = undefined}>
      <dl class="keys">
        {rows.map(([keys, what]) => (
          <div key={what}>
            <dt>{keys.map((key) => <kbd key={key}>{key}</kbd>)}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Drawer>
  );
}
