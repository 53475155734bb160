import { showControls } from "../../../../supabase/functions/_shared/show_controls.js";

/** The element with this id. */
export const $ = (id) => document.getElementById(id);

/** Sends one request to the controls of the sandbox; throws the error it responds with. */
export async function control(method, path, body) {
  const response = await fetch(`/sandbox/${path}`, {
    method,
    ...(body && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
  });
  const value = await response.json();
  if (!response.ok) throw new Error(value.error ?? response.statusText);
  return value;
}

/** Runs an action of the user and shows its error on the page. */
export async function attempt(action) {
  $("problem").textContent = "";
  try {
    await action();
  } catch (error) {
    $("problem").textContent = error.message;
  }
}

/** An element with class and text; text is never parsed as HTML. */
export function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = showControls(String(text));
  return made;
}

/** A button for one item of a list; `label` names the item too, for screen readers. */
export function actionButton(text, label) {
  const button = element("button", "", text);
  button.type = "button";
  button.setAttribute("aria-label", label);
  return button;
}
