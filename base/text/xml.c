/* xml.c: elements and escapes. */
#include "base/text/xml.h"

void xml_open(struct buf *out, struct str name)
{
    buf_put_char(out, '<');
    buf_put(out, name);
    buf_put_char(out, '>');
}

void xml_close(struct buf *out, struct str name)
{
    buf_put(out, STR("</"));
    buf_put(out, name);
    buf_put_char(out, '>');
}

void xml_put_text(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        switch (text.ptr[i]) {
        case '<': buf_put(out, STR("&lt;")); break;
        case '>': buf_put(out, STR("&gt;")); break;
        case '&': buf_put(out, STR("&amp;")); break;
        case '"': buf_put(out, STR("&quot;")); break;
        default:  buf_put_char(out, text.ptr[i]); break;  /* bytes are no enum */
        }
    }
}

void xml_put_element(struct buf *out, struct str name, struct str text)
{
    xml_open(out, name);
    xml_put_text(out, text);
    xml_close(out, name);
}
