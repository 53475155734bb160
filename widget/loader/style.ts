/**
 * The style of button and panel, for a constructed style sheet of the shadow root: that works under any
 * Content-Security-Policy. Colours and sizes are CSS variables. Rules for the host element are `!important`, because the
 * page's own rules would win otherwise.
 */
export const STYLE = `
:host {
  all: initial !important;
  position: static !important;
  display: block !important;
  width: 0 !important;
  height: 0 !important;
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
button { font: inherit; cursor: pointer; }
.button, .panel {
  position: fixed;
  z-index: 2147483000;
  margin: 0;
  font: 400 16px/1.4 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
.button {
  display: grid;
  place-items: center;
  width: var(--size);
  height: var(--size);
  padding: 0;
  color: var(--on-primary);
  background: var(--primary);
  border: 2px solid var(--rim);
  border-radius: 50%;
  box-shadow: 0 4px 14px rgb(0 0 0 / 28%);
}
.right .button, .right .panel { right: var(--x); }
.left .button, .left .panel { left: var(--x); }
.bottom .button { bottom: var(--y); }
.top .button { top: var(--y); }
.bottom .panel { bottom: calc(var(--y) + var(--size) + 12px); }
.top .panel { top: calc(var(--y) + var(--size) + 12px); }
.icon {
  width: 52%;
  height: 52%;
  fill: none;
  stroke: currentColor;
  stroke-width: 1.8;
  stroke-linecap: round;
  stroke-linejoin: round;
}
.badge {
  position: absolute;
  top: -4px;
  inset-inline-end: -4px;
  min-width: 22px;
  padding: 0 6px;
  color: #fff;
  background: #c5221f;
  border: 2px solid #fff;
  border-radius: 12px;
  font-size: 12px;
  line-height: 18px;
  font-weight: 600;
}
/* Above the buttons of other widgets too. */
.panel {
  z-index: 2147483001;
  display: grid;
  width: min(400px, calc(100vw - 2 * var(--x)));
  height: min(640px, calc(100dvh - var(--margin) - var(--y) - var(--size) - 12px));
  overflow: hidden;
  color: var(--text);
  background: var(--background);
  border-radius: 16px;
  box-shadow: 0 0 0 1px rgb(0 0 0 / 10%), 0 12px 40px rgb(0 0 0 / 28%);
}
.panel > * { grid-area: 1 / 1; }
/* Not display: none, which makes browsers lose the scroll position and move the focus. */
.panel.away { visibility: hidden; animation: none; }
iframe { width: 100%; height: 100%; border: 0; }
iframe.loading { visibility: hidden; }
.away iframe { visibility: hidden; }
.wait { place-self: center; color: var(--muted); width: 44px; height: 44px; }
.note {
  place-self: center;
  display: grid;
  gap: 12px;
  padding: 24px;
  text-align: center;
}
.note p { margin: 0; }
.note button {
  min-height: 44px;
  padding: 0 20px;
  color: var(--on-primary);
  background: var(--primary);
  border: 1px solid var(--rim);
  border-radius: 22px;
}
.note button.plain { color: inherit; background: none; border-color: var(--line); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 3px; }
.button:focus-visible { box-shadow: 0 0 0 3px #fff, 0 4px 14px rgb(0 0 0 / 28%); outline-color: #111; }
@media (max-width: 480px), (max-height: 440px) {
  .panel { inset: 0 !important; width: auto; height: auto; border-radius: 0; }
  .open .button { display: none; }
}
@media (prefers-reduced-motion: no-preference) {
  .button { transition: transform 0.15s; }
  .button:hover { transform: scale(1.05); }
  .panel { animation: arrive 0.18s ease-out; }
  .wait circle { animation: breathe 1.2s infinite alternate; }
  @keyframes arrive { from { opacity: 0; transform: translateY(8px); } }
  @keyframes breathe { from { opacity: 0.2; } }
}
@media (forced-colors: active) { .button, .panel, .note button { border: 1px solid ButtonBorder; } }
@media print { .button, .panel { display: none; } }
`;
