import { skipped } from "../setup/skipped.ts";
import { assertAccessible } from "./browser_page.ts";
import { CHAT_STATES, withChatState } from "./chat_states.ts";
import { SHARED, shareWidgetStack } from "./widget_stack.ts";

const sharedStack = shareWidgetStack();

for (const name of Object.keys(CHAT_STATES)) {
  Deno.test(
    `chat widget: the state "${name}" is accessible in light, in dark, on a phone and from right to left`,
    SHARED,
    async () => {
      const stack = sharedStack();
      if (!stack) return skipped("the states of a chat", "no Chromium found");
      for (const language of ["en", "ar"] as const) {
        await withChatState(stack, { name, language }, async ({ page }) => {
          const chat = page.frames().at(-1)!;
          await assertAccessible(chat);
          await page.emulateMedia({ colorScheme: "dark" });
          await page.setViewportSize({ width: 360, height: 740 });
          await assertAccessible(chat);
          const overflow = "document.documentElement.scrollWidth > innerWidth";
          if (await chat.evaluate(overflow)) throw new Error("the chat is wider than the phone");
        });
      }
    },
  );
}
