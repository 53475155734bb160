import { link } from "../data/company.ts";
import { shownWaiting } from "../data/live/waiting.ts";
import { Icon } from "../components/icon.tsx";
import { maySee } from "./may_see.ts";
import { GROUPS, SCREENS } from "./screens.ts";
import { words } from "../i18n/words.ts";

/** The screens by group; on small pages only while the menu is open. */
export function Navigation(
  { path, isOpen, waiting, onClose, onChoose }: {
    path: string;
    isOpen: boolean;
    /** How many wait in the inbox. */
    waiting: number;
    onClose: () => void;
    /** A screen was chosen, perhaps the one that is shown. */
    onChoose: () => void;
  },
) {
  return (
    <nav
      id="navigation"
      class={isOpen ? "open" : undefined}
      aria-label={words().common.sections}
      onKeyDown={(event) => event.key === "Escape" && onClose()}
    >
      {GROUPS.map((group) => {
        const screens = SCREENS.filter((screen) => screen.group === group && maySee(screen));
        if (screens.length === 0) return null;
        return (
          <div key={group} class="nav-group">
            <h2>{words().groups[group]}</h2>
            <ul>
              {screens.map((screen) => (
                <li key={screen.path}>
                  <a
                    href={link([screen.path])}
                    aria-current={currentOf(screen.path, path)}
                    onClick={onChoose}
                  >
                    {screen.icon && <Icon name={screen.icon} />}
                    <span>{words().screens[screen.path]}</span>
                    {screen.path === "inbox" && waiting > 0 && (
                      <span class="nav-count" title={words().common.waiting(waiting)}>
                        <span aria-hidden="true">{shownWaiting(waiting)}</span>
                        <span class="unseen">{words().common.waiting(waiting)}</span>
                      </span>
                    )}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </nav>
  );
}

function currentOf(screen: string, path: string): "page" | "true" | undefined {
  if (path === screen) return "page";
  return path.startsWith(`${screen}/`) ? "true" : undefined;
}
