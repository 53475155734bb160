/** Those that people and business messages use; a phone's keyboard has the others. */
export const EMOJI: readonly string[] = [
  ..."😀😄😅😂🙂😉😊😍🤩😘🤗🤔😐🙄😢😭😡😱🥳😎🤝👍👎👏🙏💪👋👌✌️❤️💚💙🔥✨🌟🎉🎁⭐✅❌⚠️❓📦🚚🛍️🛒🧾💳💰💶🏷️📅📞📧📍⏰🔔🔑🔒📎🏠🚗✈️🍕☕🌱☀️"
    .matchAll(/\p{Emoji}\uFE0F?/gu),
].map(([emoji]) => emoji);
