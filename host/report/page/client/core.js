// The part of Apache ECharts that the page uses, and nothing more of it.
import * as echarts from 'echarts/core';
import { BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart } from 'echarts/charts';
import { GridComponent, MarkLineComponent, TooltipComponent, VisualMapContinuousComponent } from 'echarts/components';
import { SVGRenderer } from 'echarts/renderers';

echarts.use([
  BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart, GridComponent, MarkLineComponent, TooltipComponent, VisualMapContinuousComponent, SVGRenderer,
]);

export { echarts };
