import type { SandboxTemplate, TemplateCard } from "./options.ts";

/** A handle as the platform returns for an uploaded sample. */
const SAMPLE = ["4::aW1hZ2Uvc2FtcGxl:ARZ0c2FtcGxl"];

/** `{{1}} {{2}}`: variables only, with a Spanish twin. */
const orderUpdate: SandboxTemplate[] = [
  {
    name: "order_update",
    language: "en_US",
    category: "UTILITY",
    status: "APPROVED",
    parameter_format: "POSITIONAL",
    components: [
      {
        type: "BODY",
        text: "Hi {{1}}, your order {{2}} is on its way.",
        example: { body_text: [["Asha", "A-1042"]] },
      },
    ],
  },
  {
    name: "order_update",
    language: "es",
    category: "UTILITY",
    status: "APPROVED",
    parameter_format: "POSITIONAL",
    components: [
      {
        type: "BODY",
        text: "Hola {{1}}, tu pedido {{2}} va en camino.",
        example: { body_text: [["Asha", "A-1042"]] },
      },
    ],
  },
];

/** Image header, formatting, footer, a URL button with a variable and a quick reply, in two languages. */
const summerSale: SandboxTemplate[] = [
  {
    name: "summer_sale",
    language: "en_US",
    category: "MARKETING",
    status: "APPROVED",
    parameter_format: "POSITIONAL",
    components: [
      { type: "HEADER", format: "IMAGE", example: { header_handle: SAMPLE } },
      {
        type: "BODY",
        text:
          "Hello {{1}}! *Summer is here*: take {{2}} off everything in the garden range until Sunday.\n\n" +
          "_While stock lasts._",
        example: { body_text: [["Asha", "20%"]] },
      },
      { type: "FOOTER", text: "Example Traders" },
      {
        type: "BUTTONS",
        buttons: [
          {
            type: "URL",
            text: "Shop the sale",
            url: "https://shop.example.com/sale/{{1}}",
            example: ["https://shop.example.com/sale/asha"],
          },
          { type: "QUICK_REPLY", text: "Stop promotions" },
        ],
      },
    ],
  },
  {
    name: "summer_sale",
    language: "es",
    category: "MARKETING",
    status: "APPROVED",
    parameter_format: "POSITIONAL",
    components: [
      { type: "HEADER", format: "IMAGE", example: { header_handle: SAMPLE } },
      {
        type: "BODY",
        text: "¡Hola {{1}}! *Llegó el verano*: {{2}} de descuento en todo el jardín hasta el domingo.\n\n" +
          "_Hasta agotar existencias._",
        example: { body_text: [["Asha", "20%"]] },
      },
      { type: "FOOTER", text: "Example Traders" },
      {
        type: "BUTTONS",
        buttons: [
          {
            type: "URL",
            text: "Ver ofertas",
            url: "https://shop.example.com/es/sale/{{1}}",
            example: ["https://shop.example.com/es/sale/asha"],
          },
          { type: "QUICK_REPLY", text: "No más promociones" },
        ],
      },
    ],
  },
];

/** Document header. */
const invoiceReady: SandboxTemplate = {
  name: "invoice_ready",
  language: "en",
  category: "UTILITY",
  status: "APPROVED",
  parameter_format: "POSITIONAL",
  components: [
    { type: "HEADER", format: "DOCUMENT", example: { header_handle: SAMPLE } },
    {
      type: "BODY",
      text: "Hello {{1}}, invoice *{{2}}* over {{3}} is attached. Please pay by the end of the month.",
      example: { body_text: [["Asha", "INV-77", "€ 48.20"]] },
    },
    { type: "FOOTER", text: "Example Traders, accounts" },
  ],
};

/** Nothing to fill in. */
const openingHours: SandboxTemplate = {
  name: "opening_hours",
  language: "en",
  category: "UTILITY",
  status: "APPROVED",
  parameter_format: "POSITIONAL",
  components: [
    { type: "HEADER", format: "TEXT", text: "New opening hours" },
    {
      type: "BODY",
      text:
        "From Monday we open an hour earlier:\n\nMon to Fri  *8:00 to 19:00*\nSaturday  *9:00 to 14:00*\n" +
        "Sunday  ~closed~ _by appointment_",
    },
    {
      type: "BUTTONS",
      buttons: [
        { type: "URL", text: "Find us", url: "https://shop.example.com/stores" },
        { type: "PHONE_NUMBER", text: "Call the shop", phone_number: "+15550100200" },
      ],
    },
  ],
};

/** A one-time code; the platform adds a URL button that copies it. */
const loginCode: SandboxTemplate = {
  name: "login_code",
  language: "en_US",
  category: "AUTHENTICATION",
  status: "APPROVED",
  parameter_format: "POSITIONAL",
  components: [
    {
      type: "BODY",
      text: "*{{1}}* is your verification code. For your security, do not share it.",
      example: { body_text: [["481516"]] },
    },
    { type: "FOOTER", text: "This code expires in 10 minutes." },
    {
      type: "BUTTONS",
      buttons: [
        {
          type: "URL",
          text: "Copy code",
          url: "https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}",
          example: ["https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp481516"],
        },
      ],
    },
  ],
};

/** A location at the top, a quick reply and a form. */
const storeVisit: SandboxTemplate = {
  name: "store_visit",
  language: "en_US",
  category: "UTILITY",
  status: "APPROVED",
  parameter_format: "POSITIONAL",
  components: [
    { type: "HEADER", format: "LOCATION" },
    {
      type: "BODY",
      text: "Hello {{1}}, we expect you on {{2}}. This is where you find us.",
      example: { body_text: [["Asha", "Monday at 10:30"]] },
    },
    {
      type: "BUTTONS",
      buttons: [
        { type: "QUICK_REPLY", text: "I will come" },
        { type: "FLOW", text: "Choose another day", flow_id: "480151000000001", navigate_screen: "DAY" },
      ],
    },
  ],
};

/** A text header with a variable. */
const monthlyReport: SandboxTemplate = {
  name: "monthly_report",
  language: "en_US",
  category: "UTILITY",
  status: "APPROVED",
  parameter_format: "POSITIONAL",
  components: [
    { type: "HEADER", format: "TEXT", text: "Your points in {{1}}", example: { header_text: ["June"] } },
    {
      type: "BODY",
      text: "Hello {{1}}, you have collected {{2}} points this month.",
      example: { body_text: [["Asha", "120"]] },
    },
  ],
};

/** An offer with an end, and a code to copy. */
const springOffer: SandboxTemplate = {
  name: "spring_offer",
  language: "en_US",
  category: "MARKETING",
  status: "APPROVED",
  parameter_format: "POSITIONAL",
  components: [
    { type: "HEADER", format: "IMAGE", example: { header_handle: SAMPLE } },
    { type: "LIMITED_TIME_OFFER", limited_time_offer: { text: "Spring offer!", has_expiration: true } },
    {
      type: "BODY",
      text: "Good news, {{1}}! Everything for your balcony is a quarter cheaper with your code.",
      example: { body_text: [["Asha"]] },
    },
    {
      type: "BUTTONS",
      buttons: [
        { type: "COPY_CODE", example: "SPRING25" },
        {
          type: "URL",
          text: "Shop now",
          url: "https://shop.example.com/spring/{{1}}",
          example: ["https://shop.example.com/spring/asha"],
        },
      ],
    },
  ],
};

const arrival = (text: string, example: string): TemplateCard => ({
  components: [
    { type: "HEADER", format: "IMAGE", example: { header_handle: SAMPLE } },
    { type: "BODY", text, example: { body_text: [[example]] } },
    {
      type: "BUTTONS",
      buttons: [
        { type: "QUICK_REPLY", text: "More about it" },
        {
          type: "URL",
          text: "Buy",
          url: "https://shop.example.com/plants/{{1}}",
          example: ["https://shop.example.com/plants/aloe"],
        },
      ],
    },
  ],
});

/** Three cards to swipe. */
const newArrivals: SandboxTemplate = {
  name: "new_arrivals",
  language: "en_US",
  category: "MARKETING",
  status: "APPROVED",
  parameter_format: "POSITIONAL",
  components: [
    {
      type: "BODY",
      text: "Hello {{1}}, these plants have just arrived in our shop.",
      example: { body_text: [["Asha"]] },
    },
    {
      type: "CAROUSEL",
      cards: [
        arrival("*Blue agave*, for {{1}} only: it needs sun and next to no water.", "€ 18"),
        arrival("*Aloe vera*, for {{1}} only: it likes any bright place.", "€ 12"),
        arrival("*Jade plant*, for {{1}} only: it grows old with you.", "€ 9"),
      ],
    },
  ],
};

/** Templates that cannot be sent: paused, under review, rejected. */
const unusable: SandboxTemplate[] = [
  {
    name: "winter_clearance",
    language: "en_US",
    category: "MARKETING",
    status: "PAUSED",
    parameter_format: "POSITIONAL",
    components: [
      {
        type: "BODY",
        text: "Hi {{1}}, the last coats of the season are half price this week only.",
        example: { body_text: [["Asha"]] },
      },
      { type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: "Stop promotions" }] },
    ],
  },
  {
    name: "appointment_reminder",
    language: "es",
    category: "UTILITY",
    status: "PENDING",
    parameter_format: "POSITIONAL",
    components: [
      {
        type: "BODY",
        text: "Hola {{1}}, te recordamos tu cita el {{2}} a las {{3}} en nuestra tienda.",
        example: { body_text: [["Asha", "lunes 4", "10:30"]] },
      },
      {
        type: "BUTTONS",
        buttons: [{ type: "QUICK_REPLY", text: "Confirmar" }, { type: "QUICK_REPLY", text: "Cambiar" }],
      },
    ],
  },
  {
    name: "flash_deal",
    language: "en_US",
    category: "MARKETING",
    status: "REJECTED",
    rejected_reason: "TAG_CONTENT_MISMATCH",
    parameter_format: "POSITIONAL",
    components: [
      {
        type: "BODY",
        text: "Dear {{1}}, your delivery is late. While you wait, have a look at our flash deals!",
        example: { body_text: [["Asha"]] },
      },
    ],
  },
];

/** The templates the demo account starts with: nine that can be sent, some in two languages, and three that cannot. */
export const demoTemplates: SandboxTemplate[] = [
  ...orderUpdate,
  ...summerSale,
  invoiceReady,
  openingHours,
  loginCode,
  storeVisit,
  monthlyReport,
  springOffer,
  newArrivals,
  ...unusable,
];
