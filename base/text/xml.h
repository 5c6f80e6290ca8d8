/* xml.h: the little of XML that answers of AWS's query protocol need. Pure. */
#ifndef BERTH_BASE_TEXT_XML_H
#define BERTH_BASE_TEXT_XML_H

#include "base/buf.h"

void xml_open(struct buf *out, struct str name);
void xml_close(struct buf *out, struct str name);
void xml_put_text(struct buf *out, struct str text);             /* escaped */
void xml_put_element(struct buf *out, struct str name, struct str text);

#endif
